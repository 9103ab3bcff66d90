/**
 * The names of all options of `<tool-chat>` as properties. They are one string to save bytes, because every page loads the launcher. The
 * allowed values are in the table of options (`option-table.ts`), which is loaded with the engine. A test compares the names.
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

/**
 * The attributes of all options, including those with objects and functions: setting such an attribute is a mistake that causes a warning.
 */
export const attributes: readonly string[] = optionNames.map((name) => name.replace(/[A-Z]/g, '-$&').toLowerCase());

export const propertyOf = (attribute: string): string => attribute.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

/** Parses a boolean attribute. Some frameworks write `open="false"` for false. */
export const isOn = (value: unknown): boolean => value === '' || (!!value && !/^(false|null|undefined)$/.test(value as string));
