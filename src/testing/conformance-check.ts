/** One check: a sentence, and a function that throws an `Error` if it does not hold. */

export interface ConformanceCheck {
  title: string;
  run(): void;
}
