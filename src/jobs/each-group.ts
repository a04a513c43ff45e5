import { isUnavailable } from '../eventlog/unavailable-error.ts';

/**
 * Does this to one group of a job after the other: past one that cannot be told, but no further while the database is away,
 * which says nothing of any group. Throws the first fault, once the others are told.
 */
export const eachGroup = async <Group>(
  groups: Iterable<Group>,
  tell: (group: Group) => Promise<void>,
): Promise<void> => {
  const faults: unknown[] = [];
  for (const group of groups) {
    try {
      await tell(group);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      faults.push(error);
    }
  }
  if (faults.length > 0) throw faults[0];
};
