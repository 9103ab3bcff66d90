/**
 * An error that says that the model takes no `temperature` but its own, as OpenAI's reasoning models do, from the service itself or through a
 * gateway. One that finds the number out of range is none.
 */
export function refusesTemperature(status: number, text: string): boolean {
  if (status !== 400 && status !== 422) return false;
  return SENTENCE.test(text) || (/"param" ?: ?"temperature"/.test(text) && /unsupported_(?:value|parameter)/.test(text));
}

const SENTENCE = /unsupported (?:value|parameter):? ?['"`\\]{0,2}temperature\b/i;
