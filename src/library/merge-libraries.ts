import type { LibraryStore } from './library-store.ts';

/** Libraries between two looks for further ones. */
const atOnce = 100;

/**
 * Merges what is due in the indexes of all libraries, in short transactions of one library after the other. Goes on with merges
 * that a process began and did not end. A library that fails is left to the next time; throws the first error at the end.
 */
export const mergeLibraries =
  ({ store }: { readonly store: Pick<LibraryStore, 'merging' | 'mergeSome'> }) =>
  async ({ signal }: { readonly signal: AbortSignal }): Promise<void> => {
    const failures = new Map<number, unknown>();
    for (;;) {
      const due = await store.merging({ limit: atOnce, except: [...failures.keys()] });
      for (const libraryId of due) {
        signal.throwIfAborted();
        await store.mergeSome(libraryId).catch((error: unknown) => failures.set(libraryId, error));
      }
      if (due.length === 0) break;
    }
    for (const error of failures.values()) throw error;
  };
