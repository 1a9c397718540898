'use client';

import { type RefObject, useRef } from 'react';

const STRANGE = /[^A-Za-z0-9._-]+/g;
const MAX_NAME = 200;

/**
 * Leaves the text in the field instead of React state, so that typing in a long file stays fast. A text field
 * normalizes line ends; those of an opened file are restored.
 */
export function useWorkflowText(): {
  readonly area: RefObject<HTMLTextAreaElement | null>;
  readonly read: () => string;
  readonly write: (text: string) => void;
  readonly show: (line: number, column: number) => void;
} {
  const area = useRef<HTMLTextAreaElement>(null);
  const opened = useRef('');
  return {
    area,
    read() {
      const text = area.current?.value ?? '';
      if (text === toLineFeeds(opened.current)) return opened.current;
      return opened.current.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
    },
    write(text) {
      opened.current = text;
      if (area.current !== null) area.current.value = text;
    },
    show(line, column) {
      const field = area.current;
      if (field === null) return;
      const lines = field.value.split('\n');
      const start = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
      const length = lines[line - 1]?.length ?? 0;
      field.focus();
      field.setSelectionRange(start + Math.min(column - 1, length), start + length);
      const height = Number.parseFloat(getComputedStyle(field).lineHeight);
      field.scrollTop = Math.max(0, (line - 4) * height);
    },
  };
}

function toLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

export async function textOf(file: File): Promise<string | null> {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    const text = decoder.decode(await file.arrayBuffer());
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

export function nameFor({ name }: File): string {
  return name.replace(STRANGE, '-').slice(-MAX_NAME);
}
