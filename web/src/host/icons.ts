import { LUCIDE_CONTEXT } from '@lucide/vue';
import type { App } from 'vue';

/** Icons measure 18 pixels unless they say otherwise. Lucide hides those without a label from screen readers. */
export const icons = (app: App) => app.provide(LUCIDE_CONTEXT, { size: 18 });
