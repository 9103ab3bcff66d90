/**
 * The names of all options of `<tool-chat>`, as properties. One string, because it is in the launcher, where every byte is loaded by every
 * page; what each can be is in the table of options (`option-table.ts`), which is loaded with the engine. A test compares the names.
 */
export const optionNames: readonly string[] = (
  'endpoint wire stream protocol tools model systemPrompt maxTokens maxIterations repeatLimit toolTimeout requestTimeout heartbeat ' +
  'blockTimeout maxAccumulator sessionId approval callsPerTurn dispatch afterCall execution accept parseMode onBrokenCall resultRole ' +
  'promptInjection resultLoop onDeny coercion memory confirmVia rehearse approvalUi planning orchestration degrade composerWhileBusy ' +
  'storage tokenBudget temperature contextSize constrain context headers fetch beforeSend privateValues protocolByModel promptOptions ' +
  'promptTemplates errorStrategies planningOptions memoryOptions memoryStore embed answerCache confirmKeywords preset feedbackUrl layout ' +
  'position open heading placeholder theme lang quickCommands models attachments settings inspect toolPicker helpUrl logLevel mcp ' +
  'sandboxUrl texts suggest textRules plugins logger'
).split(' ');

/** Those of objects and functions, too: a text there is a mistake to be told of. */
export const attributes: readonly string[] = optionNames.map((name) => name.replace(/[A-Z]/g, '-$&').toLowerCase());

export const propertyOf = (attribute: string): string => attribute.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

/** Frameworks write `open="false"` for what is not open. */
export const isOn = (value: unknown): boolean => value === '' || (!!value && !/^(false|null|undefined)$/.test(value as string));
