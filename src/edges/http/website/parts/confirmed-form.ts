import type { Route } from '../../middleware/route.ts';
import { type PageResult, type UserRequest, userPage, type WebsiteDeps } from '../page.ts';
import { type Question, questionPage } from './question.tsx';

/**
 * A form that ends something for good: GET asks, naming what it is about, and the form of that page does it. `again`: see
 * the definition of a page.
 */
export const confirmedForm = (
  deps: WebsiteDeps,
  path: string,
  {
    ask,
    work,
    again,
  }: {
    readonly ask: (request: UserRequest) => Promise<Question> | Question;
    readonly work: (request: UserRequest) => Promise<PageResult>;
    readonly again?: (request: UserRequest) => Promise<PageResult>;
  },
): Route[] => [
  userPage(deps, { method: 'GET', path }, async (request) => questionPage(request.context, await ask(request))),
  userPage(deps, { method: 'POST', path, ...(again === undefined ? {} : { again }) }, work),
];
