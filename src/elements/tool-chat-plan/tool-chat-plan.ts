/** The plan of a task as a checklist that updates itself. */
import { ContextConsumer } from '@lit/context';
import { html, nothing, type TemplateResult, css } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { fullEnglish, type Texts } from '../../i18n/en.js';
import type { PlanStep, StepStatus, TaskPlan } from '../../model/plan.js';
import { cardIcons } from '../card-icons.js';
import { PanelElement, viewContext } from '../context.js';
import { shared } from '../shared.styles.js';
import { renderVisible, valueStyles } from '../value-view.js';
import { defineOnce } from '../define-once.js';

const styles = css`
  :host {
    display: block;
    color: var(--_text);
    font: var(--_size) / 1.5 var(--_font);
  }

  .plan {
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    background: var(--_raised);
    overflow: hidden;
    overflow-wrap: anywhere;
  }

  header {
    display: flex;
    align-items: flex-start;
    justify-content: space-between;
    gap: 12px;
    padding: 10px 14px;
    border-block-end: 1px solid var(--_line);
  }

  .title {
    min-width: 0;
  }

  .kicker,
  .count,
  .status,
  small {
    color: var(--_muted);
    font-size: var(--_tiny);
  }

  h3 {
    font-weight: 620;
    line-height: 1.35;
  }

  .count {
    flex: none;
    padding-block-start: 2px;
    font-variant-numeric: tabular-nums;
  }

  ol {
    display: grid;
    margin: 0;
    padding: 6px 0;
    list-style: none;
  }

  li {
    display: flex;
    align-items: flex-start;
    gap: 10px;
    padding: 6px 14px;
  }

  .mark {
    display: grid;
    place-items: center;
    flex: none;
    width: 20px;
    height: 20px;
    margin-block-start: 1px;
    border: 1px solid var(--_line-strong);
    border-radius: 50%;
    color: var(--_muted);
    font: 600 var(--_tiny) / 1 var(--_font);
  }

  .mark svg {
    width: 13px;
    height: 13px;
  }

  .spinner {
    width: 12px;
    height: 12px;
  }

  .what {
    flex: 1;
    min-width: 0;
  }

  .what small {
    display: block;
  }

  code {
    font: var(--_tiny) / 1.4 var(--_mono);
  }

  .status {
    flex: none;
    padding-block-start: 2px;
  }

  [data-status='doing'] .mark {
    border-color: transparent;
    color: var(--_accent);
  }

  [data-status='doing'] .step {
    font-weight: 600;
  }

  [data-status='done'] .mark {
    border-color: transparent;
    background: var(--_ok-soft);
    color: var(--_ok);
  }

  [data-status='failed'] .mark {
    border-color: transparent;
    background: var(--_bad-soft);
    color: var(--_bad);
  }

  [data-status='failed'] .status {
    color: var(--_bad);
  }

  [data-status='skipped'] .step {
    color: var(--_muted);
    text-decoration: line-through;
  }

  @media (forced-colors: active) {
    .mark,
    [data-status] .mark {
      border-color: CanvasText;
    }
  }
`;

/**
 * @summary Shows the steps of a plan, how far each is, and what it waits for.
 * @tagname tool-chat-plan
 * @csspart plan - The card of a plan; has `data-finished` when every step has ended.
 * @csspart plan-step - A step; has `data-status` (`todo doing done failed skipped`).
 */
export class ToolChatPlan extends PanelElement {
  static override styles = [shared, valueStyles, styles];
  static override properties = { planId: { attribute: false }, plan: { state: true }, isActive: { state: true } };

  /** Id of the plan in the conversation. */
  declare planId: string;
  declare protected plan: TaskPlan | undefined;
  /** True if the running turn works on a plan. */
  declare protected isActive: boolean;

  readonly #view: ContextConsumer<typeof viewContext, this>;
  /** The last rendered status by step; undefined before the first rendering. */
  #announcedStatuses: Map<string, StepStatus> | undefined;

  constructor() {
    super();
    this.planId = '';
    this.isActive = false;
    this.#view = new ContextConsumer(this, { context: viewContext, subscribe: true, callback: () => this.#updatePlan() });
  }

  protected override willUpdate() {
    this.#updatePlan();
  }

  /** Reads the plan from the view. The plan object is the same in every view until it changes. */
  #updatePlan() {
    const view = this.#view.value;
    this.isActive = view?.planning === true;
    for (const { parts } of view?.views ?? [])
      for (const part of parts) if (part.type === 'plan' && part.id === this.planId) this.plan = part.plan;
  }

  override render() {
    const texts = this.services?.texts;
    const { plan } = this;
    if (!texts || !plan) return nothing;
    const done = plan.steps.filter(({ status }) => status === 'done').length;
    const finished = plan.steps.every(({ status }) => status === 'done' || status === 'failed' || status === 'skipped');
    return html`<section
      part="plan"
      class="plan"
      aria-labelledby="heading"
      ?data-finished=${finished}
      aria-busy=${String(this.isActive && !finished)}
    >
      <header>
        <div class="title">
          <span class="kicker">${texts.planHeading}</span>
          <h3 id="heading" dir="auto">${renderVisible(plan.goal)}</h3>
        </div>
        <span class="count">${texts.planProgress(done, plan.steps.length)}</span>
      </header>
      <ol>
        ${repeat(
          plan.steps,
          ({ id }) => id,
          (step, at) => this.#step(step, at, plan, texts),
        )}
      </ol>
    </section>`;
  }

  #step({ title, tool, status, dependsOn }: PlanStep, at: number, { steps }: TaskPlan, texts: Texts): TemplateResult {
    // The order is visible, so only dependencies other than the previous step are mentioned.
    const needs = dependsOn.flatMap((id) => steps.findIndex((one) => one.id === id) + 1).filter((number) => number > 0);
    const isPlain = needs.length === 0 || (needs.length === 1 && needs[0] === at);
    return html`<li part="plan-step" data-status=${status} aria-current=${status === 'doing' ? 'step' : nothing}>
      <span class="mark" aria-hidden="true">${stepMarks[status] ?? at + 1}</span>
      <span class="what"
        ><span class="step" dir="auto">${renderVisible(title)}</span>${
          tool === undefined && isPlain
            ? nothing
            : html`<small
                >${tool === undefined ? nothing : html`<code>${renderVisible(tool)}</code>`}${
                  isPlain ? nothing : html` <span>${texts.planNeeds(needs.join(' · '))}</span>`
                }</small
              >`
        }</span
      >
      <span class="status">${texts.planStep[status]}</span>
    </li>`;
  }

  protected override updated() {
    const services = this.services;
    const { plan } = this;
    if (!services || !plan) return;
    const { texts, announce } = services;
    const before = this.#announcedStatuses;
    this.#announcedStatuses = new Map(plan.steps.map(({ id, status }) => [id, status]));
    if (!before) {
      // A restored plan is not announced.
      if (this.isActive) announce(texts.saidPlan(plan.goal, plan.steps.length));
      return;
    }
    const changed = plan.steps.filter(({ id, status }) => before.get(id) !== status && status !== 'todo');
    for (const { title, status } of changed) announce(texts.saidStep(title, texts.planStep[status]));
  }
}

const stepMarks: Partial<Record<StepStatus, TemplateResult>> = {
  doing: html`<span class="spinner"></span>`,
  done: cardIcons.check,
  failed: cardIcons.cross,
  skipped: cardIcons.minus,
};

fullEnglish();
defineOnce('tool-chat-plan', ToolChatPlan);

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-plan': ToolChatPlan;
  }
}
