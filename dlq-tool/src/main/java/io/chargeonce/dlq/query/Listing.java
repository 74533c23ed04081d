// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.query;

import io.chargeonce.dlq.DeadLetterQueue;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Walks through what a filter means, page by page, so that a queue of any length fits into little memory. */
public final class Listing {

    private static final int PAGE = 500;

    private final DeadLetterQueue queue;
    private final Selection.From from;
    private final Optional<DeadLetterView.Position> begin;

    private Listing(DeadLetterQueue queue, Selection.From from, Optional<DeadLetterView.Position> begin) {
        this.queue = queue;
        this.from = from;
        this.begin = begin;
    }

    public Listing(DeadLetterQueue queue, Selection.From from) {
        this(queue, from, Optional.empty());
    }

    public Listing(DeadLetterQueue queue) {
        this(queue, Selection.From.THE_QUEUE);
    }

    /** The same from behind this dead letter on, wherever that is now; empty if there never was one of this id. */
    public Optional<Listing> behind(String id) {
        return queue.database().withConnection(connection -> DeadLetterQuery.find(connection, List.of(id))).stream().findFirst()
                .map(letter -> new Listing(queue, from, Optional.of(letter.position())));
    }

    /**
     * @param limit the most that are wanted
     * @param pages gets each page in turn, with at least one dead letter in it
     * @return whether there are more than the limit
     */
    public boolean pages(DeadLetterFilter filter, Order order, long limit, Consumer<List<DeadLetterView>> pages) {
        Selection selection = queue.database().withConnection(connection -> Selection.now(connection, filter, from));
        Optional<DeadLetterView.Position> after = begin;
        for (long left = limit;; left -= PAGE) {
            int wanted = (int) Math.min(PAGE, left);
            List<DeadLetterView> page = page(selection, order, after, wanted + 1);
            List<DeadLetterView> shown = page.subList(0, Math.min(wanted, page.size()));
            if (!shown.isEmpty()) {
                pages.accept(shown);
                after = Optional.of(shown.getLast().position());
            }
            boolean more = page.size() > wanted;
            if (!more || wanted == left) {
                return more;
            }
        }
    }

    private List<DeadLetterView> page(Selection selection, Order order, Optional<DeadLetterView.Position> after, int size) {
        return queue.database().withConnection(connection -> DeadLetterQuery.page(connection, selection, order, after, size));
    }
}
