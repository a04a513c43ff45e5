import { countLinks } from './count-links.ts';

/** `<x-lines>`: counts the links of a text field as they are typed. */
class Lines extends HTMLElement {
  connectedCallback(): void {
    const field = this.querySelector('textarea');
    const output = this.querySelector('output');
    if (field === null || output === null) return;
    const count = (): void => {
      const counts = countLinks(field.value);
      output.value = (this.dataset['counts'] ?? '').replace(/\{(\w+)\}/g, (_, name: string) =>
        String(counts[name as keyof typeof counts] ?? ''),
      );
    };
    field.addEventListener('input', count);
    count();
  }
}
customElements.define('x-lines', Lines);
