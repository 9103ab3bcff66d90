/**
 * Checks for the error of a model that accepts no `temperature` except its own, such as OpenAI's reasoning models, from the service itself
 * or through a gateway. An error about a number out of range does not count.
 */
export function isTemperatureError(status: number, text: string): boolean {
  if (status !== 400 && status !== 422) return false;
  return SENTENCE.test(text) || (/"param" ?: ?"temperature"/.test(text) && /unsupported_(?:value|parameter)/.test(text));
}

const SENTENCE = /unsupported (?:value|parameter):? ?['"`\\]{0,2}temperature\b/i;
