import { lineNear, lines } from './line-near.ts';

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []);

/** Ends each sentence of a summary with the time of the line that shares most words with it. */
const locate = (panel: HTMLElement): void => {
  const rows = lines();
  const words = rows.map((row) => wordsOf(row.querySelector('p')?.textContent ?? ''));
  for (const paragraph of panel.querySelectorAll<HTMLElement>('[data-locate] p')) {
    const sentences = (paragraph.textContent ?? '').split(/(?<=[.!?…。！？])\s*/u);
    paragraph.replaceChildren();
    for (const sentence of sentences) {
      const wanted = wordsOf(sentence);
      let best = -1;
      let most = 1;
      for (const [index, line] of words.entries()) {
        const shared = [...wanted].filter((word) => line.has(word)).length;
        if (shared > most) [best, most] = [index, shared];
      }
      paragraph.append(`${sentence} `);
      const at = rows[best]?.querySelector<HTMLAnchorElement>(':scope > a');
      if (at === undefined || at === null) continue;
      const link = document.createElement('a');
      link.className = 'time';
      link.href = at.getAttribute('href') ?? '';
      link.textContent = at.textContent;
      paragraph.append(link, ' ');
    }
  }
  // Beside the transcript, times lead to its lines without loading the page again.
  for (const link of panel.querySelectorAll<HTMLAnchorElement>('a[data-second]')) {
    link.setAttribute('href', lineNear(rows, Number(link.dataset['second'])));
  }
};

/** The panel of another page: pages of operations have their content in `#panel`. */
const load = async (panel: HTMLElement, address: string, init?: RequestInit): Promise<void> => {
  panel.setAttribute('aria-busy', 'true');
  try {
    const response = await fetch(address, { ...init, headers: { accept: 'text/html' } });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const content = page.getElementById('panel') ?? page.getElementById('main');
    panel.replaceChildren(...(content?.childNodes ?? []));
    locate(panel);
  } finally {
    panel.removeAttribute('aria-busy');
  }
};

const formsOf = (panel: HTMLElement): void => {
  panel.addEventListener('submit', (event) => {
    const form = event.target as HTMLFormElement;
    if (form.method !== 'post') return;
    event.preventDefault();
    // A second click while the first is under way would be answered by it, but shows nothing new.
    for (const button of form.querySelectorAll('button')) button.disabled = true;
    const body = new URLSearchParams([...new FormData(form)].map(([k, v]) => [k, String(v)]));
    load(panel, form.action, { method: 'POST', body }).catch(() => form.submit());
  });
};

/** Opens the operations of a transcript beside it. */
const tabs = document.querySelector<HTMLElement>('[data-panel]');
const panel = document.getElementById(tabs?.dataset['panel'] ?? '');
const transcript = document.getElementById('transcript');
if (tabs !== null && panel !== null && transcript !== null) {
  formsOf(panel);
  locate(panel);
  tabs.addEventListener('click', (event) => {
    const link = (event.target as Element).closest('a');
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    for (const other of tabs.querySelectorAll('a')) other.removeAttribute('aria-current');
    link.setAttribute('aria-current', 'page');
    load(panel, link.href).catch(() => location.assign(link.href));
  });
}
