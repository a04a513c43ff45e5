import { ownValue } from '../../../../kernel/own-value.ts';
import { video } from './player.ts';

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;

/** Moves to the time of another line; where times are hidden, to the line itself. */
const step = (by: number): void => {
  const lines = [...document.querySelectorAll<HTMLElement>('.cues li')];
  const at = lines.findIndex((line) => line.contains(document.activeElement));
  const line = lines[Math.max(0, Math.min(lines.length - 1, at + by))];
  if (line === undefined) return;
  const time = line.querySelector('a');
  // What is hidden does not take the focus.
  time?.focus();
  if (document.activeElement === time) return;
  line.tabIndex = -1;
  line.focus();
};

const actions: Readonly<Record<string, () => void>> = {
  '/': () => document.querySelector<HTMLInputElement>('x-search input')?.focus(),
  t: () => document.querySelector<HTMLInputElement>('x-times input')?.click(),
  c: () => document.querySelector<HTMLButtonElement>('.tools x-copy button')?.click(),
  j: () => step(1),
  k: () => step(-1),
  '?': () => {
    const list = document.querySelector('x-keys details');
    list?.setAttribute('open', '');
    list?.querySelector('summary')?.focus();
  },
};

const inLine = (): boolean => document.activeElement?.matches('.cues li, .cues li > a') ?? false;

/** Keys that browsers use too: they are taken where they do something here, as on the platform. */
const besides: Readonly<Record<string, () => boolean>> = {
  ' ': () => video.toggle(),
  ArrowLeft: () => video.skip(-5),
  ArrowRight: () => video.skip(5),
  ArrowDown: () => inLine() && act(1),
  ArrowUp: () => inLine() && act(-1),
};

const act = (by: number): boolean => {
  step(by);
  return true;
};

/** What takes these keys itself. */
const takesKeys = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('button, summary, dialog, pre, figure') !== null;

/** Single keys of the transcript page; whoever needs them otherwise switches them off (WCAG 2.1.4). */
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (localStorage.getItem('keys') === 'off') return;
  if (document.getElementById('transcript') === null) return;
  const single = ownValue(actions, event.key);
  const other = takesKeys(event.target) ? undefined : ownValue(besides, event.key);
  single?.();
  if (single !== undefined || other?.() === true) event.preventDefault();
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
