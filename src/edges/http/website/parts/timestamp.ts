/** A position as people read it: `m:ss`, `h:mm:ss` from one hour on; parts of a second are cut off. */
export const timestampOf = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const rest = `${String(minutes).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
  return hours === 0 ? rest : `${hours}:${rest}`;
};
