import { ref } from 'vue';

/** The item whose labels are being chosen. */
export const labelledId = ref<number | null>(null);
