const idOf = (line: string): string | null =>
  /(?:^|[?&/=]|v=|youtu\.be\/|shorts\/|live\/|embed\/)([\w-]{11})(?:$|[?&#/])/.exec(line)?.[1] ?? null;

const isList = (line: string): boolean =>
  /[?&]list=[\w-]+|^(PL|UU|OL|FL|UC)[\w-]{10,}$|^@[\w.-]+$|\/@|\/channel\/|\/c\/|\/user\//.test(line);

/** `<x-lines>`: counts the links of a text field as they are typed. The server decides; this only shows. */
class Lines extends HTMLElement {
  connectedCallback(): void {
    const field = this.querySelector('textarea');
    const output = this.querySelector('output');
    if (field === null || output === null) return;
    const count = (): void => {
      const seen = new Set<string>();
      const counts = { valid: 0, duplicate: 0, invalid: 0 };
      for (const raw of field.value.split('\n')) {
        const line = raw.trim();
        if (line === '') continue;
        // A video within a playlist is the video.
        const id = idOf(line) ?? (isList(line) ? line : null);
        if (id === null) counts.invalid += 1;
        else if (seen.has(id)) counts.duplicate += 1;
        else counts.valid += 1;
        if (id !== null) seen.add(id);
      }
      output.value = (this.dataset['counts'] ?? '').replace(/\{(\w+)\}/g, (_, name: string) =>
        String(counts[name as keyof typeof counts] ?? ''),
      );
    };
    field.addEventListener('input', count);
    count();
  }
}
customElements.define('x-lines', Lines);
