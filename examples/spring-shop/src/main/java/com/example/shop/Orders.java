// SPDX-License-Identifier: Apache-2.0
package com.example.shop;

import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** The orders, and the outbox of the payments to request for them. */
@Component
class Orders {

    private final JdbcClient database;

    Orders(JdbcClient database) {
        this.database = database;
    }

    /** One transaction: after a crash both rows are there, or neither. An order that is there already is not placed again. */
    @Transactional
    public void place(Order order) {
        int placed = database.sql("INSERT INTO shop_order (order_id, amount, currency) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
                .params(order.id(), order.amount(), order.currency()).update();
        if (placed == 1) {
            database.sql("INSERT INTO payment_request (order_id, amount, currency, payment_method) VALUES (?, ?, ?, ?)")
                    .params(order.id(), order.amount(), order.currency(), order.paymentMethod()).update();
        }
    }

    /** Those behind this order, and of all none twice: one that stays in the outbox keeps no other from being sent. */
    List<Order> toBeSent(String after) {
        return database.sql("SELECT order_id AS id, amount, currency, payment_method FROM payment_request WHERE order_id > ? "
                + "ORDER BY order_id LIMIT 100").param(after).query(Order.class).list();
    }

    /** One transaction again: the order has its result, and the outbox has done its work. */
    @Transactional
    public void answered(Order order, String status, String payment) {
        database.sql("UPDATE shop_order SET status = ?, payment_id = ? WHERE order_id = ?").params(status, payment, order.id()).update();
        database.sql("DELETE FROM payment_request WHERE order_id = ?").params(order.id()).update();
    }
}
