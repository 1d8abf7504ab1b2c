// Texts of a run's page, and of the answers of a service.
import { figure } from './format';

/** "3 s", "2 min 5 s": how long ago something was. */
export function ago(time: number): string {
  const whole = Math.max(0, Math.floor(time));
  if (whole < 60) return `${whole}\u202fs`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes}\u202fmin ${whole % 60}\u202fs` : `${Math.floor(minutes / 60)}\u202fh ${minutes % 60}\u202fmin`;
}

/** "+3.1 %", "-0.4 %", "same". */
export function difference(share: number): string {
  if (Math.abs(share) < 5e-5) return 'same';
  const digits = Math.abs(share) < 0.1 ? 2 : Math.abs(share) < 10 ? 1 : 0;
  return `${share > 0 ? '+' : '\u2212'}${figure(Number((Math.abs(share) * 100).toFixed(digits)), 6)}\u202f%`;
}

/** Sentences that begin with a field's name belong there; the others to the whole form. */
export function byField(sentences: string[], fields: string[]): { fields: Map<string, string>; rest: string[] } {
  const found = new Map<string, string>();
  const rest: string[] = [];
  for (const sentence of sentences) {
    const name = fields.find((field) => new RegExp(`^(--|settings[.:/ ]+)?['"]?${field}\\b`).test(sentence));
    if (name) found.set(name, [found.get(name), sentence].filter(Boolean).join('; '));
    else rest.push(sentence);
  }
  return { fields: found, rest };
}

/** The first of what-if-1, what-if-2, .. that is not taken. */
export function freeName(taken: string[]): string {
  for (let i = 1; ; ++i) if (!taken.includes(`what-if-${i}`)) return `what-if-${i}`;
}

/** The sentences of a refusal. */
export function refusals(status: number, text: string): string[] {
  try {
    const body = JSON.parse(text) as unknown;
    const found: string[] = [];
    const walk = (value: unknown): void => {
      if (typeof value === 'string') found.push(value);
      else if (Array.isArray(value)) value.forEach(walk);
      else if (typeof value === 'object' && value !== null) {
        const { error, message, violations, detail, field } = value as Record<string, unknown>;
        // Single sentences are better than all of them in one.
        if (Array.isArray(violations) && violations.length > 0) walk(violations);
        else if (typeof message === 'string' && typeof field === 'string' && !message.startsWith(field)) walk(`${field}: ${message}`);
        else [error, message, detail].filter((each) => each !== undefined).slice(0, 1).forEach(walk);
      }
    };
    walk(body);
    const sentences = found.flatMap((each) => each.split('\n')).map((each) => each.trim()).filter(Boolean);
    if (sentences.length > 0) return sentences;
  } catch {
    // no JSON: as it is
  }
  return [text.trim() && text.length < 300 && !text.includes('<') ? text.trim() : `the service answered with status ${status}`];
}

/** A column of numbers in descending size, with the number of those left out. */
export function largestFirst(values: (number | null)[], names: string[] = []): { name: string; value: number }[] {
  return values.map((value, i) => ({ name: names[i] ?? String(i + 1), value: value ?? 0 }))
    .filter(({ value }) => value !== 0)
    .sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
}
