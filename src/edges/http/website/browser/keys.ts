import { ownValue } from '../../../../kernel/own-value.ts';

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;

const step = (by: number): void => {
  const rows = [...document.querySelectorAll<HTMLAnchorElement>('.cues li > a')];
  const at = rows.indexOf(document.activeElement as HTMLAnchorElement);
  rows[Math.max(0, Math.min(rows.length - 1, at + by))]?.focus();
};

const actions: Readonly<Record<string, () => void>> = {
  '/': () => document.querySelector<HTMLInputElement>('x-search input')?.focus(),
  t: () => document.querySelector<HTMLInputElement>('x-times input')?.click(),
  c: () => document.querySelector<HTMLButtonElement>('.tools x-copy button')?.click(),
  j: () => step(1),
  k: () => step(-1),
};

/** Single keys of the transcript page; whoever needs them otherwise switches them off (WCAG 2.1.4). */
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (localStorage.getItem('keys') === 'off') return;
  const act = ownValue(actions, event.key);
  if (act === undefined || document.getElementById('transcript') === null) return;
  event.preventDefault();
  act();
});

/** `<x-keys>`: its checkbox switches the single keys off and on, for this browser. */
class Keys extends HTMLElement {
  connectedCallback(): void {
    const box = this.querySelector('input');
    if (box === null) return;
    box.checked = localStorage.getItem('keys') !== 'off';
    box.addEventListener('change', () => localStorage.setItem('keys', box.checked ? 'on' : 'off'));
  }
}
customElements.define('x-keys', Keys);
