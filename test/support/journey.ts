import { setTimeout as pause } from 'node:timers/promises';
import { solve } from '#test/support/accounts.ts';
import { planted } from '#test/support/leaks.ts';

/** An HTTP client that behaves as a browser: it keeps cookies and sends `Origin` and `Sec-Fetch-Site`. */
export const browser = (urls: readonly string[]) => {
  const cookies = new Map<string, string>();
  let turn = 0;

  /** Requests go to the processes in round robin. */
  const send = async (
    method: string,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Response> => {
    const url = urls[turn % urls.length] ?? '';
    turn += 1;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url + path, {
      method,
      headers: {
        Origin: url,
        'Sec-Fetch-Site': 'same-origin',
        ...(cookie === '' ? {} : { Cookie: cookie }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      if (pair.slice(at + 1) === '') cookies.delete(pair.slice(0, at));
      else cookies.set(pair.slice(0, at), planted(pair.slice(at + 1)));
    }
    return answer;
  };

  /** Returns the JSON of a response and throws unless it has this status. */
  const json = async <Body>(status: number, answer: Promise<Response>): Promise<Body> => {
    const got = await answer;
    const text = await got.text();
    if (got.status !== status) throw new Error(`${status} expected, not ${got.status}: ${text}`);
    return (text === '' ? null : JSON.parse(text)) as Body;
  };

  return {
    send,
    json,
    cookie: (name: string) => cookies.get(name),
    /** Solves a new captcha, after its minimum solving time. */
    solved: async () => {
      const captcha = await json<{ token: string; question: string; min_solve_ms: number }>(
        200,
        send('GET', '/api/auth/captcha'),
      );
      await pause(captcha.min_solve_ms);
      return { captcha_token: planted(captcha.token), captcha_answer: solve(captcha.question) };
    },
  };
};
