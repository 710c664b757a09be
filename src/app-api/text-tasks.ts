/** Older text processing; the capabilities name them. */
export const TEXT_TASK_TYPES = ['free_prompt', 'headline', 'summary', 'topics'] as const;
