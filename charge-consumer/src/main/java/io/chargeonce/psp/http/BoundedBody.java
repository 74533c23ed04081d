// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.http;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/** A body of limited size. A longer one closes the connection: a PSP's answer must not use up the memory of all other payments. */
final class BoundedBody<T> implements BodySubscriber<T> {

    private final BodySubscriber<T> body;
    private final long most;
    private Flow.Subscription subscription;
    private long taken;

    BoundedBody(BodySubscriber<T> body, long most) {
        this.body = body;
        this.most = most;
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
        subscription = given;
        body.onSubscribe(given);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        if (taken > most) {
            return;
        }
        taken += buffers.stream().mapToLong(ByteBuffer::remaining).sum();
        if (taken > most) {
            subscription.cancel();
            body.onError(new AnswerTooLong(most));
        } else {
            body.onNext(buffers);
        }
    }

    @Override
    public void onError(Throwable failure) {
        body.onError(failure);
    }

    @Override
    public void onComplete() {
        if (taken <= most) {
            body.onComplete();
        }
    }

    @Override
    public CompletionStage<T> getBody() {
        return body.getBody();
    }
}
