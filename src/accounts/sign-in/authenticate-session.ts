import type { AccountParts } from '../account-parts.ts';
import type { Session } from '../account-store.ts';
import { tokenHash } from './end-sessions.ts';
import { idleEnd } from './session.ts';

/** An active session. `isRenewed`: this use has prolonged it, so the cookie must be renewed too. */
export type SignedInAs = { readonly session: Session; readonly userId: string; readonly isRenewed: boolean };

/** Whether a text has the form of a token; see `newToken`. */
export const isToken = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text);

/** The active session of this token, or null. Each use prolongs it, but never beyond its absolute end. */
export const authenticate =
  ({ store, settings, clock }: Pick<AccountParts, 'store' | 'settings' | 'clock'>) =>
  async (token: string): Promise<SignedInAs | null> => {
    if (!isToken(token)) return null;
    const now = clock();
    const found = await store.findSession(tokenHash(token), now);
    if (found === null) return null;
    const { userId, ...session } = found;
    const { renewAfterMs, idleMs } = settings.sessions;
    // With a shorter idle timeout, sessions are prolonged earlier.
    if (now.getTime() - session.renewedAt.getTime() < Math.min(renewAfterMs, idleMs / 2)) {
      return { session, userId, isRenewed: false };
    }
    const idleEndsAt = idleEnd(now, session.endsAt, settings.sessions);
    await store.prolongSession(session.sessionId, now, idleEndsAt);
    return { session: { ...session, renewedAt: now, idleEndsAt }, userId, isRenewed: true };
  };
