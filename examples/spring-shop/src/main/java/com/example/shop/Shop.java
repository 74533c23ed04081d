// SPDX-License-Identifier: Apache-2.0
package com.example.shop;

import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;

/** A shop that charges each order once, whatever crashes. It places the orders of its arguments, such as order-1:1299:EUR:pm_card_visa. */
@SpringBootApplication
@EnableScheduling
public class Shop {

    public static void main(String[] arguments) {
        SpringApplication.run(Shop.class, arguments);
    }

    @Bean
    ApplicationRunner placesItsArguments(Orders orders) {
        return arguments -> arguments.getNonOptionArgs().stream().map(Order::parse).forEach(orders::place);
    }
}
