package io.chargeonce.kafka;

/** How the members of a group share out partitions: by the broker (the current protocol), or among themselves. */
public enum GroupProtocol {
    CONSUMER("consumer"),
    CLASSIC("classic");

    private final String text;

    GroupProtocol(String text) {
        this.text = text;
    }

    /** What Kafka calls it. */
    @Override
    public String toString() {
        return text;
    }
}
