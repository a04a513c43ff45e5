import type { z } from 'zod';
import { invalid } from './error-response.ts';

/**
 * The query of a URL as one value per name. A name that comes twice, or in brackets (`lang[]`, `lang[0]`) where
 * the endpoint knows the plain one, is refused: two readers could understand it differently. Unknown names are ignored.
 */
export const queryOf = (url: string, schema?: z.ZodObject): Record<string, string> => {
  const at = url.indexOf('?');
  const values = new Map<string, string>();
  if (at === -1) return {};
  for (const pair of url.slice(at + 1).split('&')) {
    if (pair === '') continue;
    const cut = pair.indexOf('=');
    const name = decode(cut === -1 ? pair : pair.slice(0, cut));
    if (values.has(name)) {
      throw invalid([{ path: name, code: 'duplicated', message: 'the parameter occurs twice' }]);
    }
    const bracket = name.indexOf('[');
    if (bracket !== -1 && Object.hasOwn(schema?.shape ?? {}, name.slice(0, bracket))) {
      const path = name.slice(0, bracket);
      throw invalid([{ path, code: 'not_a_list', message: 'the parameter must be given once' }]);
    }
    values.set(name, cut === -1 ? '' : decode(pair.slice(cut + 1)));
  }
  return Object.fromEntries(values);
};

const decode = (text: string): string => {
  const plain = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!plain.includes('%')) return plain;
  try {
    return decodeURIComponent(plain);
  } catch {
    throw invalid([{ path: 'query', code: 'malformed', message: 'it contains an invalid % sequence' }]);
  }
};
