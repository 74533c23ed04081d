CREATE TABLE IF NOT EXISTS shop_order (
    order_id   text PRIMARY KEY,
    amount     bigint NOT NULL,
    currency   text NOT NULL,
    status     text NOT NULL DEFAULT 'placed',  -- then payment_accepted or payment_refused
    payment_id text                             -- Chargeonce's, once the payment is accepted
);

-- The outbox: what is still to be sent. It has what was ordered, even if the order changes later.
CREATE TABLE IF NOT EXISTS payment_request (
    order_id       text PRIMARY KEY REFERENCES shop_order,
    amount         bigint NOT NULL,
    currency       text NOT NULL,
    payment_method text NOT NULL
);
