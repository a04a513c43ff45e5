import { answerResult, type Commands } from '../../../commands.ts';
import { unavailableJson } from '../../../contract/operations.ts';

/** The answer to a question about all kept videos, as the API and the tools show it. */
export const libraryAnswerJson = (question: string, answered: Awaited<ReturnType<Commands['askLibrary']>>) => {
  const { model, isFallback, unavailable } = answered;
  return { question, ...answerResult(answered), model, fallback: isFallback, ...unavailableJson(unavailable) };
};
