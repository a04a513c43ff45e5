import type { Route } from '../endpoint.ts';
import { type ListingDoors, listingEndpoints, listingRoutes } from './listings.ts';

const endpoints = listingEndpoints('channel', 50);

export const channelEndpoints = [endpoints.read, endpoints.start] as const;

/** The videos of a channel, and a job over them. */
export const channels = (doors: ListingDoors): Route[] =>
  listingRoutes('channel', endpoints, doors);
