/**
 * The contents of a new database. A sample keeps both languages until someone renames it: the `sample` column of its row
 * names the entry here, and a reader gets the text of the language it asked for.
 */
import type { Language } from './messages.js';

interface Sample {
  key: string;
}

export interface SampleArea extends Sample {
  id: string;
  name: Record<Language, string>;
  color: string;
}

export interface SampleTask extends Sample {
  title: Record<Language, string>;
  areaId: string | null;
  /** Days from the day of the first start; null = not scheduled, so it waits in staging. */
  dayOffset: number | null;
  completed?: boolean;
}

const WORK = '6f1c2a54-8f0b-4d0e-9b57-2f6d3c1a7e01';
const HOME = 'b2d4c8e6-1a3f-4e5b-8c7d-9e0f1a2b3c02';
const LEARNING = 'd9e8f7a6-5b4c-4d3e-a2f1-0b9c8d7e6f03';

export const sampleAreas: readonly SampleArea[] = [
  { key: 'work', id: WORK, name: { en: 'Work', zh: '工作' }, color: 'blue' },
  { key: 'home', id: HOME, name: { en: 'Home', zh: '生活' }, color: 'amber' },
  { key: 'learning', id: LEARNING, name: { en: 'Learning', zh: '学习' }, color: 'violet' },
];

export const sampleTasks: readonly SampleTask[] = [
  { key: 'standup', title: { en: 'Write the stand-up notes', zh: '整理站会纪要' }, areaId: WORK, dayOffset: 0, completed: true },
  { key: 'review', title: { en: 'Review the release checklist', zh: '检查发布清单' }, areaId: WORK, dayOffset: 0 },
  { key: 'dentist', title: { en: 'Call the dentist', zh: '给牙医打电话' }, areaId: HOME, dayOffset: 0 },
  { key: 'groceries', title: { en: 'Buy vegetables and rice', zh: '买蔬菜和大米' }, areaId: HOME, dayOffset: 0 },
  { key: 'statecharts', title: { en: 'Read the chapter on statecharts', zh: '读完状态图那一章' }, areaId: LEARNING, dayOffset: 0 },
  { key: 'slides', title: { en: 'Prepare the slides for Friday', zh: '准备周五的演示文稿' }, areaId: WORK, dayOffset: 1 },
  { key: 'plants', title: { en: 'Water the plants', zh: '给植物浇水' }, areaId: HOME, dayOffset: 1 },
  { key: 'words', title: { en: 'Practise twenty new words', zh: '背二十个新单词' }, areaId: LEARNING, dayOffset: 2 },
  { key: 'expenses', title: { en: 'Hand in the travel expenses', zh: '提交差旅报销' }, areaId: WORK, dayOffset: -1, completed: true },
  { key: 'gift', title: { en: 'Think of a birthday present', zh: '想一份生日礼物' }, areaId: null, dayOffset: null },
  { key: 'bike', title: { en: 'Have the bicycle repaired', zh: '修自行车' }, areaId: HOME, dayOffset: null },
  { key: 'course', title: { en: 'Choose an online course', zh: '挑一门网课' }, areaId: LEARNING, dayOffset: null },
];

const texts = new Map<string, Record<Language, string>>([
  ...sampleAreas.map((area) => [`area:${area.key}`, area.name] as const),
  ...sampleTasks.map((task) => [`task:${task.key}`, task.title] as const),
]);

/** The text of a sample in a language, or `own` where the row is no sample (any more). */
export function sampleText(kind: 'area' | 'task', key: string | null, language: Language, own: string): string {
  return (key === null ? undefined : texts.get(`${kind}:${key}`)?.[language]) ?? own;
}
