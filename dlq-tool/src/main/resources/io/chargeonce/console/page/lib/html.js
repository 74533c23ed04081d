// SPDX-License-Identifier: Apache-2.0
// The one place that knows which library renders.
import { h, render, Fragment } from '../vendor/preact.js';
import htm from '../vendor/htm.js';

export const html = htm.bind(h);
export { render, Fragment };
export { useState, useEffect, useLayoutEffect, useRef, useMemo, useCallback, useId } from '../vendor/hooks.js';
