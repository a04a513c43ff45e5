import type { Route } from '../endpoint.ts';
import { type ListingDeps, listingEndpoints, listingRoutes } from './listings.ts';

const endpoints = listingEndpoints('channel', 50);

export const channelEndpoints = [endpoints.read, endpoints.start] as const;

/** The videos of a channel, and a job over them. */
export const channels = (deps: ListingDeps): Route[] => listingRoutes('channel', endpoints, deps);
