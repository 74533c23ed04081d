// SPDX-License-Identifier: Apache-2.0
import { html } from '../lib/html.js';
import { Empty } from '../parts/states.js';
import { Title } from '../parts/title.js';

export function Missing() {
  return html`<${Title} text="No such page" /><${Empty} title="This address leads nowhere.">
    Choose a view from the menu, or press <kbd>/</kbd> to find a payment.<//>`;
}
