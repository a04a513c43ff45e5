import { closest, distance } from 'fastest-levenshtein';

/** Of other programs that share a file `.env` or an environment with Steno. */
const ofOthers = /^(STENO|POSTGRES|COMPOSE|DOCKER|NODE|NPM|OTEL)_|^(TZ|LANG|PATH|HOME)$/;
/** A name of the environment is taken for a misspelt setting only if it is as long as this, and differs in two characters at most. */
const shortestInEnvironment = 8;
const mostDifferent = 2;

const isNear = (name: string, setting: string): boolean =>
  Math.abs(name.length - setting.length) <= mostDifferent && distance(name, setting) <= mostDifferent;

/**
 * A warning for each name that no setting has: of those in the file `.env` for all, of others in the environment, which
 * belongs to other programs too, for those that are nearly the name of a setting.
 */
export const unknownNames = (
  inEnvironment: readonly string[],
  inFile: readonly string[],
  known: readonly string[],
): readonly string[] => {
  const isUnknown = (name: string): boolean => !known.includes(name) && !ofOthers.test(name);
  const misspelt = inEnvironment
    .filter((name) => name.length >= shortestInEnvironment && !inFile.includes(name))
    .filter((name) => isUnknown(name) && known.some((setting) => isNear(name, setting)));
  return [
    ...inFile.filter(isUnknown).map((name) => `${name} in .env is not a setting${meant(name, known)}`),
    ...misspelt.map((name) => `${name} is set but is not a setting${meant(name, known)}`),
  ];
};

/** A name of which half has to be changed is another one. */
const meant = (name: string, known: readonly string[]): string => {
  const nearest = closest(name.toUpperCase(), known);
  return distance(name.toUpperCase(), nearest) <= name.length / 2
    ? `; did you mean ${nearest}?`
    : '; see docs/settings.md';
};
