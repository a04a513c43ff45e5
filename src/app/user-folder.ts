import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** The folder of what Steno keeps for one user, whatever the working directory; null if the user has no home. */
export const userFolder = (): string | null => {
  try {
    const home = homedir();
    return isAbsolute(home) ? join(home, '.steno') : null;
  } catch {
    return null;
  }
};
