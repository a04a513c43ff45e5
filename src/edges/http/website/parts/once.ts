import { newToken } from '../../../../kernel/ids.ts';

/** A name for one rendering of a form: the same form sent twice is charged once. */
export const onceToken = (): string => newToken().slice(0, 22);
