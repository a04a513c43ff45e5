import type { Route } from '../endpoint.ts';
import { type ListingDoors, listingEndpoints, listingRoutes } from './listings.ts';

const endpoints = listingEndpoints('playlist', 100);

export const playlistEndpoints = [endpoints.read, endpoints.start] as const;

/** The videos of a playlist, and a job over them. */
export const playlists = (doors: ListingDoors): Route[] =>
  listingRoutes('playlist', endpoints, doors);
