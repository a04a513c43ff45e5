/** Lines or paragraphs of the transcript in this page. */
export const lines = (): readonly HTMLElement[] => [
  ...document.querySelectorAll<HTMLElement>('#transcript li, #transcript > .row'),
];

/** The address of the line that begins at a second, or of the last one before it. */
export const lineNear = (rows: readonly HTMLElement[], second: number): string => {
  let found = `#t=${second}`;
  for (const row of rows) {
    const at = Number(row.id.slice(2));
    if (row.id !== '' && at > second) break;
    if (row.id !== '') found = `#t=${at}`;
  }
  return found;
};

/** A link may name a second at which no line begins. */
const goToLine = (): void => {
  const second = /^#t=(\d+)$/.exec(location.hash)?.[1];
  if (second === undefined || document.getElementById(`t=${second}`) !== null) return;
  const place = lineNear(lines(), Number(second));
  if (place !== location.hash) location.replace(place);
};
goToLine();
addEventListener('hashchange', goToLine);
