// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** Every line that our own classes log while it is open, down to TRACE, and with its exception. */
final class Logs extends AppenderBase<ILoggingEvent> implements AutoCloseable {

    private final Logger ours = (Logger) LoggerFactory.getLogger("io.chargeonce");
    private final Level usual = ours.getLevel();
    private final List<String> lines = new CopyOnWriteArrayList<>();

    Logs() {
        start();
        ours.addAppender(this);
        ours.setAdditive(false);
        ours.setLevel(Level.TRACE);
    }

    @Override
    protected void append(ILoggingEvent event) {
        lines.add(event.getFormattedMessage() + ThrowableProxyUtil.asString(event.getThrowableProxy()));
    }

    List<String> lines() {
        return lines;
    }

    @Override
    public void close() {
        ours.setLevel(usual);
        ours.setAdditive(true);
        ours.detachAppender(this);
        stop();
    }
}
