import { changeSettings, getSettings } from '../../../contract/account.ts';
import { answerOf } from '../../../contract/answer-of.ts';
import { json } from '../middleware/response.ts';
import type { Route } from '../middleware/route.ts';
import { type SessionDeps, userRoute } from '../middleware/session.ts';

const answer = answerOf(getSettings.answers[200].schema);

/** What an account has chosen for all its requests. */
export const accountSettings = (deps: SessionDeps<'chooseRequestDefaults' | 'requestDefaults'>): Route[] => [
  userRoute(deps, getSettings, async ({ call }) => json(answer(await deps.commands.requestDefaults(call.accountId)))),
  userRoute(deps, changeSettings, async ({ call, body }) => {
    const { keep_by_default: keepByDefault, ask_above_credits: askAboveCredits } = body;
    const chosen = {
      ...(keepByDefault === undefined ? {} : { keepByDefault }),
      ...(askAboveCredits === undefined ? {} : { askAboveCredits }),
    };
    return json(answer(await deps.commands.chooseRequestDefaults(call.accountId, chosen)));
  }),
];
