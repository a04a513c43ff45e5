export const longestTitle = 60;

export const shortened = (text: string): string => {
  if (text.length <= longestTitle) return text;
  const cut = text.slice(0, longestTitle - 1);
  const space = cut.lastIndexOf(' ');
  return `${(space > longestTitle / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
};

export const capitalised = (text: string): string => {
  const [first = ''] = text;
  return first.toLocaleUpperCase() + text.slice(first.length);
};

/** Markup and marks of direction do not belong in a title. */
export const plainTitle = (text: string): string =>
  text
    .replace(/<[^<>]*>|[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]|[\p{Cc}]/gu, '')
    .replace(/\s+/gu, ' ')
    .trim();
