import { supportedLanguages } from '../../kernel/languages.ts';

/** Fixed words around verbatim text. Each list is in the order of `languages`. */
const languages: readonly string[] = supportedLanguages;

type Wording =
  | 'notFound'
  | 'part'
  | 'whyTopic'
  | 'whyNumber'
  | 'whyContrast'
  | 'whyQuestion'
  | 'whyPersonal'
  | 'keyPoints'
  | 'quotes'
  | 'chapters'
  | 'summary'
  | 'moments'
  | 'watch'
  | 'by'
  | 'video';

/** `{topic}` is replaced by a key phrase of the passage. */
const wordings: Readonly<Record<Wording, readonly string[]>> = {
  notFound: [
    'The answer is not in this video.',
    'La respuesta no está en este video.',
    'Die Antwort kommt in diesem Video nicht vor.',
    'La réponse ne se trouve pas dans cette vidéo.',
    'La risposta non è in questo video.',
    'A resposta não está neste vídeo.',
    'Răspunsul nu se află în acest videoclip.',
    '答えはこの動画の中にありません。',
    '这个视频中没有答案。',
    '이 동영상에는 답이 없습니다.',
  ],
  part: ['Part', 'Parte', 'Teil', 'Partie', 'Parte', 'Parte', 'Partea', 'パート', '第', '파트'],
  whyTopic: [
    'Says the most about “{topic}” in a short passage.',
    'Es el pasaje breve que más dice sobre «{topic}».',
    'Sagt in kurzer Zeit am meisten über „{topic}“.',
    'Le court passage qui en dit le plus sur « {topic} ».',
    'Il breve passaggio che dice di più su «{topic}».',
    'O trecho curto que mais diz sobre “{topic}”.',
    'Pasajul scurt care spune cel mai mult despre „{topic}”.',
    '「{topic}」について短い時間で最も多く語っています。',
    '用很短的时间讲清“{topic}”的要点。',
    '짧은 시간에 “{topic}”에 대해 가장 많이 말합니다.',
  ],
  whyNumber: [
    'Gives concrete figures on “{topic}”.',
    'Da cifras concretas sobre «{topic}».',
    'Nennt konkrete Zahlen zu „{topic}“.',
    'Donne des chiffres concrets sur « {topic} ».',
    'Dà cifre concrete su «{topic}».',
    'Traz números concretos sobre “{topic}”.',
    'Oferă cifre concrete despre „{topic}”.',
    '「{topic}」について具体的な数字を挙げています。',
    '给出了关于“{topic}”的具体数字。',
    '“{topic}”에 대한 구체적인 수치를 말합니다.',
  ],
  whyContrast: [
    'Sets two views of “{topic}” against each other.',
    'Contrapone dos ideas sobre «{topic}».',
    'Stellt zwei Gedanken zu „{topic}“ gegenüber.',
    'Oppose deux idées sur « {topic} ».',
    'Mette a confronto due idee su «{topic}».',
    'Contrapõe duas ideias sobre “{topic}”.',
    'Pune față în față două idei despre „{topic}”.',
    '「{topic}」についての対比を述べています。',
    '对“{topic}”提出了对比。',
    '“{topic}”에 대한 대비를 보여 줍니다.',
  ],
  whyQuestion: [
    'Opens with a question about “{topic}”.',
    'Empieza con una pregunta sobre «{topic}».',
    'Beginnt mit einer Frage zu „{topic}“.',
    'Commence par une question sur « {topic} ».',
    'Si apre con una domanda su «{topic}».',
    'Começa com uma pergunta sobre “{topic}”.',
    'Începe cu o întrebare despre „{topic}”.',
    '「{topic}」についての問いかけで始まります。',
    '以关于“{topic}”的提问开头。',
    '“{topic}”에 대한 질문으로 시작합니다.',
  ],
  whyPersonal: [
    'The speaker tells of “{topic}” in the first person.',
    'Quien habla cuenta «{topic}» en primera persona.',
    'Wer spricht, erzählt in der ersten Person von „{topic}“.',
    'La personne parle de « {topic} » à la première personne.',
    'Chi parla racconta «{topic}» in prima persona.',
    'Quem fala conta “{topic}” na primeira pessoa.',
    'Vorbitorul povestește despre „{topic}” la persoana întâi.',
    '話し手が「{topic}」を自分の言葉で語っています。',
    '讲述者以第一人称谈“{topic}”。',
    '화자가 “{topic}”에 대해 직접 이야기합니다.',
  ],
  keyPoints: [
    ...['Key points', 'Ideas clave', 'Kernpunkte', 'Points clés', 'Punti chiave'],
    ...['Pontos principais', 'Idei principale', '要点', '要点', '핵심 내용'],
  ],
  quotes: [
    ...[
      'In their own words',
      'En sus palabras',
      'Im Wortlaut',
      'Mot pour mot',
      'Parola per parola',
    ],
    ...['Nas palavras do vídeo', 'Cuvânt cu cuvânt', '動画の言葉', '原话', '영상 속 말'],
  ],
  chapters: [
    ...['Chapters', 'Capítulos', 'Kapitel', 'Chapitres', 'Capitoli'],
    ...['Capítulos', 'Capitole', 'チャプター', '章节', '챕터'],
  ],
  summary: [
    ...['Summary', 'Resumen', 'Zusammenfassung', 'Résumé', 'Riassunto'],
    ...['Resumo', 'Rezumat', '概要', '摘要', '요약'],
  ],
  moments: [
    ...['Moments', 'Momentos', 'Stellen', 'Moments', 'Momenti'],
    ...['Momentos', 'Momente', '見どころ', '精彩片段', '주요 장면'],
  ],
  watch: [
    ...['Watch the video', 'Ver el video', 'Video ansehen', 'Voir la vidéo', 'Guarda il video'],
    ...['Assista ao vídeo', 'Vezi videoclipul', '動画を見る', '观看视频', '동영상 보기'],
  ],
  by: ['By', 'De', 'Von', 'Par', 'Di', 'De', 'De', '制作:', '作者:', '제작:'],
  video: [
    'Video',
    'Video',
    'Video',
    'Vidéo',
    'Video',
    'Vídeo',
    'Videoclip',
    '動画',
    '视频',
    '동영상',
  ],
};

/** In the language given; in English where there is no wording in it. */
export const say = (wording: Wording, language: string, topic = ''): string => {
  const at = languages.indexOf(language);
  const text = wordings[wording][Math.max(0, at)] ?? '';
  return text.replace('{topic}', () => topic);
};
