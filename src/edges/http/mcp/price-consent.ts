import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Call } from '../../../kernel/call.ts';
import { contentHash } from '../../../kernel/canonical-json.ts';
import type { KeyRing } from '../../../kernel/key-ring.ts';
import { invalidRequest, Refusal } from '../../../kernel/refusal.ts';
import { isObject, type RpcParams } from './json-rpc.ts';
import { acceptedPrice, type Tool } from './tools/tool.ts';

/** What the user was asked, under this name, and answered. */
const question = 'price';

/** The result that asks a client for input, as revision 2026-07-28 has it. */
export type InputRequired = {
  readonly resultType: 'input_required';
  readonly inputRequests: Readonly<Record<string, object>>;
  readonly requestState: string;
};

/** What a request says that answers such a result. */
export type InputGiven = { readonly responses: unknown; readonly state: unknown };

/** The input that the parameters of a request give. */
export const inputGiven = ({ inputResponses: responses, requestState: state }: RpcParams): InputGiven => ({
  responses,
  state,
});

/** Who calls: whether the client can ask its user, and what it was answered. */
export type PriceAsker = { readonly call: Call; readonly elicits: boolean; readonly input: InputGiven };

type PriceQuestion = {
  readonly tool: Tool;
  readonly asked: PriceAsker;
  readonly known: Readonly<Record<string, unknown>>;
  /** `ask_above_credits` of the account; null: it wants no questions. */
  readonly askAbove: number | null;
  /** The keys that sign what is asked. */
  readonly keys: KeyRing;
};

/**
 * Null where a call of a tool that costs something may run: its price is not above what the account wants to be asked about,
 * or was agreed to, by the argument `accept_price` or by the user whom the client asked. Else what the client is to ask. Throws
 * CONFIRMATION_REQUIRED where the client cannot ask, and where the user did not agree.
 */
export const consentTo = async (given: PriceQuestion): Promise<InputRequired | null> => {
  const { tool, asked, known, askAbove, keys } = given;
  const accepted = acceptedBy(known);
  if (askAbove === null) return null;
  const price = await tool.quote(known, asked.call);
  if (price <= askAbove || price <= accepted) return null;
  const subject = contentHash({ account_id: asked.call.accountId, tool: tool.name, known });
  const answer = answerOf(asked.input, subject, keys);
  if (answer?.isAgreed && price <= answer.price) return null;
  const isDeclined = answer !== null && !answer.isAgreed;
  if (asked.elicits && !isDeclined) return questionAbout(tool, price, signature(price, subject, keys.current.bytes));
  const what = isDeclined ? 'The user did not agree to the price' : 'The account wants to be asked';
  const message = `${what}: ${tool.name} costs up to ${price} credits here, which is above ${askAbove}.`;
  const details = { required: price, ask_above_credits: askAbove, [acceptedPrice]: price };
  throw new Refusal('CONFIRMATION_REQUIRED', message, details);
};

const acceptedBy = ({ [acceptedPrice]: given = 0 }: Readonly<Record<string, unknown>>): number => {
  if (typeof given === 'number' && Number.isSafeInteger(given) && given >= 0) return given;
  const message = `${acceptedPrice} must be a whole number of credits`;
  throw invalidRequest(message, { path: acceptedPrice, code: 'invalid_type' });
};

const questionAbout = (tool: Tool, price: number, signed: string): InputRequired => ({
  resultType: 'input_required',
  inputRequests: {
    [question]: {
      method: 'elicitation/create',
      params: {
        mode: 'form',
        message: `${tool.definition.title}: this costs up to ${price} credits. Continue?`,
        requestedSchema: {
          type: 'object',
          properties: { accept: { type: 'boolean', title: `Spend up to ${price} credits` } },
          required: ['accept'],
        },
      },
    },
  },
  requestState: `${price}.${signed}`,
});

/** A price for a call of an account with these arguments. */
const signature = (price: number, subject: string, key: Uint8Array): string =>
  createHmac('sha256', key).update(`${price}\0`).update(subject).digest('hex');

/** What the user answered to the question about this very call; null: nothing. */
const answerOf = ({ responses, state }: InputGiven, subject: string, { all }: KeyRing) => {
  const [, named, signed = ''] = typeof state === 'string' ? (/^(\d{1,10})\.([0-9a-f]{64})$/.exec(state) ?? []) : [];
  const given = isObject(responses) && Object.hasOwn(responses, question) ? responses[question] : undefined;
  if (named === undefined || !isObject(given)) return null;
  const price = Number(named);
  const isOurs = ({ bytes }: KeyRing['current']): boolean =>
    timingSafeEqual(Buffer.from(signature(price, subject, bytes)), Buffer.from(signed));
  if (!all.some(isOurs)) return null;
  const content = isObject(given['content']) ? given['content'] : {};
  return { price, isAgreed: given['action'] === 'accept' && content['accept'] === true };
};
