/** The plan of a task as a checklist that updates itself. */
import { ContextConsumer } from '@lit/context';
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Texts } from '../../i18n/en.js';
import type { PlanStep, StepStatus, TaskPlan } from '../../model/plan.js';
import { cardIcons } from '../card-icons.js';
import { servicesContext, viewContext } from '../context.js';
import { shared } from '../shared.styles.js';
import { renderVisible } from '../value-view.js';
import { valueStyles } from '../value-view.styles.js';
import { styles } from './tool-chat-plan.styles.js';

/**
 * @summary Shows the steps of a plan, how far each is, and what it waits for.
 * @tagname tool-chat-plan
 * @csspart plan - The card of a plan; has `data-finished` when every step has ended.
 * @csspart plan-step - A step; has `data-status` (`todo doing done failed skipped`).
 */
export class ToolChatPlan extends LitElement {
  static override styles = [shared, valueStyles, styles];
  static override properties = { planId: { attribute: false }, plan: { state: true }, isActive: { state: true } };

  /** Id of the plan in the conversation. */
  declare planId: string;
  declare protected plan: TaskPlan | undefined;
  /** True if the running turn works on a plan. */
  declare protected isActive: boolean;

  readonly #services = new ContextConsumer(this, { context: servicesContext, subscribe: true });
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
    const texts = this.#services.value?.texts;
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
    const services = this.#services.value;
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

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-plan': ToolChatPlan;
  }
}
