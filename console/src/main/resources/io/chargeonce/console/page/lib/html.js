// SPDX-License-Identifier: Apache-2.0
// The one place that knows which library renders.
import { h, render, Fragment } from '../vendor/preact.js';
import htm from '../vendor/htm.js';

// All of Unicode's Bidi_Control: foreign text must not turn around what stands beside it.
const TURNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** As the terminal shows it. Only what is shown: a field keeps its value. */
function shown(child) {
  return typeof child === 'string' ? child.replace(TURNS, (mark) => `\\u{${mark.codePointAt(0).toString(16)}}`)
    : Array.isArray(child) ? child.map(shown) : child;
}

export const html = htm.bind((type, props, ...children) => h(type, props, ...children.map(shown)));
export { render, Fragment };
export { useState, useEffect, useLayoutEffect, useRef, useMemo, useCallback, useId } from '../vendor/hooks.js';
