const video = { video_id: 'lighthouse1' };
const byModel = { model: 'gpt-4.1-mini', fallback: false };
const lamp = 'The lamp itself was no larger than the ones in our kitchen.';

/** A whole answer of each AI operation, for the reference. */
export const examples = {
  status: {
    ai_enabled: true,
    model: 'gpt-4.1-mini',
    embedding_model: null,
    circuit: 'closed',
  },
  ask: {
    ...video,
    question: 'How large was the lamp?',
    answer: 'It was no larger than a kitchen lamp.',
    citations: [{ start: 12.4, end: 16.2, timestamp: '00:12', text: lamp }],
    grounded: true,
    ...byModel,
  },
  summarize: {
    ...video,
    length: 'short',
    summary: 'A keeper tells how a small lamp behind large lenses was seen far out at sea.',
    ...byModel,
  },
  chapters: {
    ...video,
    chapters: [
      { start: 0, timestamp: '00:00', title: 'The tower' },
      { start: 95.2, timestamp: '01:35', title: 'Lamp and lenses' },
    ],
    ...byModel,
  },
  search: {
    ...video,
    query: 'lamp',
    results: [{ start: 12.4, end: 41, timestamp: '00:12', text: lamp, score: 0.94 }],
  },
  quotes: { ...video, quotes: [{ start: 12.4, timestamp: '00:12', text: lamp }], ...byModel },
  repurpose: {
    ...video,
    format: 'linkedin',
    content: 'What a small lamp can do behind the right lens.\n\nA keeper tells…',
    ...byModel,
  },
  clips: {
    ...video,
    clips: [
      {
        ...{ start: 12.4, end: 44.1, timestamp: '00:12', end_timestamp: '00:44' },
        opening_line: lamp,
        label: 'A small lamp, seen far out',
        why: 'It begins with a surprise and explains it.',
        text: `${lamp} What carried it out to sea were the lenses.`,
      },
    ],
    ...byModel,
  },
  translate: {
    ...video,
    translated: true,
    mode: 'translated',
    target_lang: 'de',
    source_language: 'en',
    fallback: false,
    code: 'OK',
    message: 'All lines are translated.',
    segment_count: 1,
    segments: [
      {
        text: 'Die Lampe selbst war nicht größer als die in unserer Küche.',
        start: 12.4,
        duration: 3.8,
      },
    ],
    model: 'gpt-4.1-mini',
  },
};
