import { ara, deu, eng, fra, hin, ita, jpn, kor, por, ron, rus, spa, zho } from 'stopword';
import { ownValue } from '../../kernel/own-value.ts';
import { fold, words } from './words.ts';

const lists: Readonly<Record<string, readonly string[]>> = {
  ...{ ar: ara, de: deu, en: eng, es: spa, fr: fra, hi: hin, it: ita },
  ...{ ja: jpn, ko: kor, pt: por, ro: ron, ru: rus, zh: zho },
};

/** Words of questions, of speech and grammar that the package does not list: they say nothing about a topic. */
const more: Readonly<Record<string, string>> = {
  en: `what when who whom whose why how where which do does did doing can could would should shall will may might must
    am are was were be been being have has had having isn aren wasn weren don doesn didn won couldn wouldn shouldn ll
    re ve um uh yeah okay ok oh well so just really actually basically gonna wanna gotta kind sort lot thing things
    about after again against all any because before between both down during each few further here into more most no
    nor not off once only other our out over own same such than that their them then there these this those too under
    until up very with you your yours us let also one ones get got go going know think say said tell me we us i it its
    much many there anybody anyone someone something somebody everything everyone ever`,
  es: `qué quién quiénes cuál cuáles cuándo cuánto cuánta cuántos cuántas dónde cómo por qué es son era eran fue fueron
    ser estar está están estaba ha han hay había he hemos tiene tienen hacer hace hizo puede pueden pues bueno entonces
    este esta estos estas ese esa esos esas eso esto aquel aquella si sí ya muy así ahora aquí allí todo toda todos
    todas otro otra otros otras también nada algo cada e u nuestro nuestra vamos ver dice según les le mientras usted
    ustedes ellos ellas nosotros`,
  de: `wer was wann wo warum wieso weshalb welche welcher welches welchem welchen wie wen wem wessen woher wohin womit
    wodurch gibt gab ja also mal halt eben äh ähm doch denn laut wurde wurden wird werden`,
  fr: `qui que quoi quand où comment pourquoi combien quel quelle quels quelles lequel laquelle est sont était étaient
    être avoir a ont avait avaient fait faire font peut peuvent selon alors donc ben euh bah voilà ça cela c' qu' si y
    en plus très bien tout toute tous toutes aussi autre autres quelque quelques cette cet ces celui celle ceux`,
  it: `che chi cosa quando dove come perché quanto quanta quanti quante quale quali qual è sono era erano fu furono
    essere ha hanno aveva fa fare può possono secondo allora quindi poi ecco anche già così molto ogni altro altra altri
    altre essi esse esso essa stato stata stati state viene vengono lì là qui qua`,
  pt: `quem que quando onde como porque por quê qual quais quanto quanta quantos quantas é são era eram foi foram ser
    estar está estão estava há tem têm tinha faz fazer pode podem segundo então pois né aí aqui ali lá assim agora
    tudo todo toda todos todas outro outra outros outras cada nada algo isso bem`,
  ro: `cine ce când unde cum cât câtă câți câte care cui de pentru este sunt era erau fost fi fie are au avea avut
    face fac poate pot potrivit deci adică păi atunci acum aici acolo aşa așa şi și să nu da mai foarte tot toată toți
    toate alt altă alți alte fiecare lui ei lor cel cea cei cele acest această acești aceste acel acea se`,
  ja: `何 なに なん 誰 だれ どこ いつ なぜ どう どの どれ どんな いくつ いくら どのよう 何故 か ね よ わ さ えー あの
    えっと まあ じゃあ じゃ そう こう ああ それで です ます でし まし ませ でしょ だろ みたい てる って けど けれど んで
    何時 何人 何年 何月 何日 何分 何歳 何回 何度 何個 何本 何匹 何枚 何曜日 人 年 月 日 時 分 方 中 的 者 私 僕 皆 皆さん 今 本当 ちょっと とても ください ましょ`,
  zh: `什么 甚麼 什麼 谁 誰 哪里 哪裡 哪 哪个 哪些 哪儿 何时 何時 什么时候 为什么 為什麼 怎么 怎麼 怎样 怎么样 如何 多少
    几 幾 吗 嗎 呢 吧 啊 的 了 是 在 有 和 與 与 及 或 被 把 让 由 从 從 到 这 這 那 这个 那个 这些 那些 我们 你们 他们
    它 它们 她们 就是 然后 所以 因为 但是 可以 没有 不是 一个 一些 会 能 要 去 上 下 里 裡 中 所 以 其 之 而 则 于 于是
    呃 嗯 哦 啦 嘛 這個 那個 個 個 們 來 來 時候 时候 大家 自己 还是 还 已经 请问`,
  ko: `무엇 무엇을 무엇이 무엇인가 무엇입니까 누구 누가 언제 어디 어디에 어디서 왜 어떻게 어떤 어느 몇 얼마 얼마나 뭐 무슨
    그 이 저 것 수 등 및 때 더 또 및 안 못 네 예 자 음 어 아 좀 막 그냥 이제 있는 있다 있습니다 있었다 있나요 없는
    하는 한 할 된 되는 합니까 입니까 인가요 하나요 했나요 무엇인가요 누구인가요 언제인가요 어디인가요`,
};

const sets = new Map<string, ReadonlySet<string>>();

/** Words of a language that carry no topic, among them those that ask. Empty where the language is not known. */
export const stopWordsOf = (language: string): ReadonlySet<string> => {
  const known = sets.get(language);
  if (known !== undefined) return known;
  const listed = [...(ownValue(lists, language) ?? []), ...(ownValue(more, language) ?? '').split(/\s+/)];
  // The lists are cut as captions are: `qu'il` in a list are two words in a caption.
  const cut = listed.flatMap((word) => [word.toLowerCase(), ...words(word, language)]);
  const made = new Set(cut.flatMap((word) => [word, fold(word)]).filter((word) => word !== ''));
  if (ownValue(lists, language) !== undefined) sets.set(language, made);
  return made;
};
