/** Particles and the commonest verb endings, the longest first. Korean writes them at the end of the word. */
const endings = [
  ...[
    '했습니다',
    '하였습니다',
    '되었습니다',
    '이었습니다',
    '였습니다',
    '습니다',
    '합니다',
    '됩니다',
    '입니다',
  ],
  ...[
    '하였다',
    '되었다',
    '이었다',
    '했다',
    '됐다',
    '였다',
    '한다',
    '된다',
    '이다',
    '에서는',
    '에서도',
    '으로는',
  ],
  ...[
    '으로서',
    '으로써',
    '이라고',
    '라고',
    '에게서',
    '에게',
    '한테',
    '께서',
    '에서',
    '으로',
    '부터',
    '까지',
  ],
  ...[
    '처럼',
    '보다',
    '마다',
    '조차',
    '이나',
    '이며',
    '하며',
    '하고',
    '하는',
    '하여',
    '해서',
    '했던',
    '되는',
    '되어',
  ],
  ...[
    '들은',
    '들이',
    '들을',
    '들의',
    '들에',
    '어요',
    '아요',
    '해요',
    '예요',
    '이에요',
    '인데',
    '는데',
    '지만',
  ],
  ...[
    '은',
    '는',
    '이',
    '가',
    '을',
    '를',
    '의',
    '에',
    '와',
    '과',
    '로',
    '도',
    '만',
    '들',
    '한',
    '할',
    '된',
    '고',
  ],
].toSorted((a, b) => b.length - a.length);

/** Particles that no common noun ends with: they are cut off even after one syllable. */
const afterOneSyllable = /^(은|는|를)$/u;

/** The word without its last particle; at least one syllable is left, two before most endings of one syllable. */
export const stripKoreanEnding = (word: string): string => {
  if (!/^[가-힣]+$/u.test(word)) return word;
  const ending = endings.find((each) => {
    const left = word.length - each.length;
    return word.endsWith(each) && left >= (each.length > 1 || afterOneSyllable.test(each) ? 1 : 2);
  });
  return ending === undefined ? word : word.slice(0, -ending.length);
};
