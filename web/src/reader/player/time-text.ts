/** `1:02:03` or `4:05`. */
export function timeText(seconds: number): string {
  const whole = Math.floor(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  const rest = String(whole % 60).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`;
}

/** Seconds of `1:02:03` or `04:05`; null for other texts. */
export function secondsOf(text: string): number | null {
  const [, hours = '0', minutes = '', seconds = ''] =
    /^(?:(\d{1,2}):)?(\d{1,2}):(\d{2})$/.exec(text) ?? [];
  return minutes === '' || Number(seconds) > 59
    ? null
    : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}
