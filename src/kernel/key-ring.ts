/** A key for one purpose. `id` names the secret of the service that it is derived from. */
export type DerivedKey = { readonly id: string; readonly bytes: Uint8Array };

/** The keys of one purpose: `current` makes what is new, all of them read what was made before. */
export type KeyRing = {
  readonly current: DerivedKey;
  /** The current one first. */
  readonly all: readonly DerivedKey[];
  /** The secret that made rows without the id of a key. */
  readonly unmarkedId: string;
};

/** The key that made a row; null: the service has it no more. */
export const keyBehind = ({ all, unmarkedId }: KeyRing, id: string | null): DerivedKey | null =>
  all.find((one) => one.id === (id ?? unmarkedId)) ?? null;
